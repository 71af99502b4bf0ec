"""The files that benchmarks publish, which a person downloads, as the same table as all other measured curves.

download       which file, from where, how large, under which licence; is it whole?
loaded         curves as the rows of the table, and what was left out
streamed_json  a JSON file that is too large to be held at once
taskset_archive lcbench nas_bench_201 pd1   one benchmark each: `read` gives curves, `load` the rows
"""
