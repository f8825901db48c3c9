"""Archives shaped like Wikipedia, of any size: `python -m bench.synthetic --articles N --out FILE.zim`."""
