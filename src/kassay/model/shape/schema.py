"""The JSON Schema of a shape's documents."""

from __future__ import annotations

from math import isinf
from typing import Any

from kassay.model.shape.nodes import (
    FieldNode,
    Fields,
    Leaf,
    LeafKind,
    Many,
    Maybe,
    Node,
    Part,
    Row,
    Table,
    Variant,
)


def schema_of(node: Node) -> dict[str, Any]:
    """What JSON Schema (2020-12) says of the documents; checks across fields are the reader's alone."""
    match node:
        case Leaf():
            return _leaf(node)
        case Part():
            pair = [{"type": "string"}, {"type": "integer"}]
            return {"type": "array", "prefixItems": pair, "items": False, "minItems": 2}
        case Row(items):
            row = [schema_of(item) for item in items]
            return {"type": "array", "prefixItems": row, "items": False, "minItems": len(row)}
        case Maybe(inner):
            return {"anyOf": [{"type": "null"}, schema_of(inner)]}
        case Many(item, least):
            return {"type": "array", "items": schema_of(item), **({"minItems": least} if least else {})}
        case Table(value):
            return {"type": "object", "additionalProperties": schema_of(value)}
        case Variant(tag, variants):
            return {"oneOf": [_tagged(tag, name, inner) for name, inner in variants.items()]}
        case Fields(fields):
            return _record(fields)


def _record(fields: tuple[FieldNode, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: _or_null(field) for field in fields},
        "required": [field.name for field in fields if field.default is None],
        "additionalProperties": False,
    }


def _or_null(field: FieldNode) -> dict[str, Any]:
    """A field whose default is null is written as null."""
    own = schema_of(field.node)
    if field.default is None or isinstance(field.node, Maybe) or field.default() is not None:
        return own
    return {"anyOf": [{"type": "null"}, own]}


def _tagged(tag: str, name: str, node: Node) -> dict[str, Any]:
    fields = node.fields if isinstance(node, Fields) else ()
    own = _record(fields)
    return {
        **own,
        "properties": {tag: {"const": name}, **own["properties"]},
        "required": [tag, *own["required"]],
    }


def _leaf(leaf: Leaf) -> dict[str, Any]:
    if leaf.choices and leaf.kind is not LeafKind.FLAG:
        return {"enum": list(leaf.choices)}
    if leaf.kind is LeafKind.ANY:
        return {}
    if leaf.kind is LeafKind.BYTES:
        return {"type": "string", "contentEncoding": "base64"}
    bounds = {"minimum": leaf.least, "maximum": leaf.most} if leaf.kind is LeafKind.WHOLE else {}
    return {
        "type": leaf.kind.name,
        **{name: int(bound) for name, bound in bounds.items() if not isinf(bound)},
    }
