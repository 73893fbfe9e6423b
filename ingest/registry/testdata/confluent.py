"""Writes confluent.json: messages as the serializers of confluent-kafka (PyPI, 2.16.1) write them.

python3 -m venv v && v/bin/pip install 'confluent-kafka[avro,json]==2.16.1' && v/bin/python confluent.py > confluent.json
"""
import datetime, decimal, json, uuid
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

PERSON = {"type": "record", "name": "Person", "namespace": "example", "fields": [
    {"name": "id", "type": "string"},
    {"name": "age", "type": "int"},
    {"name": "sex", "type": {"type": "enum", "name": "Sex", "symbols": ["f", "m", "x"]}},
    {"name": "weight", "type": "double"},
    {"name": "height", "type": ["null", "float"], "default": None},
    {"name": "born", "type": {"type": "int", "logicalType": "date"}},
    {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "income", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}], "default": None},
    {"name": "address", "type": {"type": "record", "name": "Address", "fields": [
        {"name": "zip", "type": "string"}, {"name": "lines", "type": {"type": "array", "items": "string"}}]}},
    {"name": "region", "type": ["null", "string"], "default": None},
    {"name": "code", "type": ["string", "long", "null"]},
    {"name": "labels", "type": {"type": "map", "values": "string"}},
    {"name": "visits", "type": {"type": "array", "items": {"type": "record", "name": "Visit", "fields": [
        {"name": "ward", "type": "string"}, {"name": "days", "type": "long"}]}}},
    {"name": "photo", "type": "bytes"},
    {"name": "member", "type": "boolean"},
    {"name": "number", "type": {"type": "string", "logicalType": "uuid"}},
    {"name": "illness", "type": "string"},
]}


def person(i):
    return {"id": f"p{i}", "age": [34, -1, 2**31 - 1][i % 3], "sex": "fmx"[i % 3], "weight": [70.5, -0.25, 1e21][i % 3],
            "height": [None, 1.5, 0.1][i % 3], "born": datetime.date([1987, 1901, 2024][i % 3], 2, 1),
            "seen": datetime.datetime(2026, 3, 1, 12, 30, 5, 123000 * (i % 2), tzinfo=datetime.timezone.utc),
            "income": [None, decimal.Decimal("1234.50"), decimal.Decimal("-0.05")][i % 3],
            "address": {"zip": "80331", "lines": ["a \"b\"", "\u00fc\n"] * (i % 2)}, "region": [None, "north"][i % 2],
            "code": ["c", 12345678901, None][i % 3], "labels": {"ward": "7", "bed": "b"}, "photo": b"\x00\xff",
            "visits": [{"ward": "w", "days": d} for d in range(i)], "member": bool(i % 2),
            "number": uuid.UUID(int=i), "illness": ["flu", "asthma, severe"][i % 2]}


ROW = {"type": "record", "name": "Value", "namespace": "db.people", "fields": [
    {"name": "id", "type": "long"}, {"name": "sex", "type": "string"}, {"name": "illness", "type": ["null", "string"], "default": None},
    {"name": "born", "type": {"type": "int", "connect.version": 1, "connect.name": "io.debezium.time.Date"}}]}
ENVELOPE = {"type": "record", "name": "Envelope", "namespace": "db.people", "connect.name": "db.people.Envelope", "fields": [
    {"name": "before", "type": ["null", ROW], "default": None}, {"name": "after", "type": ["null", "db.people.Value"], "default": None},
    {"name": "source", "type": {"type": "record", "name": "Source", "fields": [{"name": "ts_ms", "type": "long"}]}},
    {"name": "op", "type": "string"}, {"name": "ts_ms", "type": ["null", "long"], "default": None}]}
KEY = {"type": "record", "name": "Key", "namespace": "db.people", "fields": [{"name": "id", "type": "long"}]}


def change(op, before, after):
    row = lambda i: i and {"id": i, "sex": "f", "illness": "flu", "born": 6000 + i}
    return {"before": row(before), "after": row(after), "source": {"ts_ms": 1}, "op": op, "ts_ms": None}


client = SchemaRegistryClient.new_client({"url": "mock://x"})
out = {"schemas": {}, "messages": []}


def write(topic, field, schema, things, kind=AvroSerializer):
    make = (lambda s: AvroSerializer(client, s)) if kind is AvroSerializer else (lambda s: JSONSerializer(s, client))
    serializer = make(json.dumps(schema))
    for thing in things:
        message = serializer(thing, SerializationContext(topic, field))
        at = int.from_bytes(message[1:5], "big")
        out["schemas"][at] = {"schema": json.dumps(schema), "schemaType": "AVRO" if kind is AvroSerializer else "JSON"}
        out["messages"].append({"topic": topic, "field": field, "hex": message.hex(),
                                "thing": json.loads(json.dumps(thing, default=lambda v: v.hex() if isinstance(v, bytes) else str(v)))})


write("people", "value", PERSON, [person(i) for i in range(6)])
write("changes", "value", ENVELOPE, [change("c", None, 7), change("r", None, 8), change("u", 7, 7), change("d", 7, None)])
write("changes", "key", KEY, [{"id": 7}])
write("plain", "value", {"title": "Person", "type": "object", "properties": {n: {"type": "string"} for n in ("id", "sex", "illness")}},
      [{"id": "j1", "sex": "f", "illness": "flu"}], JSONSerializer)
print(json.dumps(out, indent=1, sort_keys=True))
