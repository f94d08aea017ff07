"""The JSON Schema of a shape's documents."""

from __future__ import annotations

from math import isinf
from typing import Any

from kassay.model.shape.nodes import (
    FieldNode,
    LeafKind,
    LeafNode,
    ManyNode,
    MaybeNode,
    Node,
    PartNode,
    RecordNode,
    RowNode,
    TableNode,
    VariantNode,
)


def schema_of(node: Node) -> dict[str, Any]:
    """The documents as JSON Schema (2020-12); only the reader checks across fields."""
    match node:
        case LeafNode():
            return _leaf(node)
        case PartNode(glue=glue) if glue:
            return {"type": "string"}
        case PartNode():
            pair = [{"type": "string"}, {"type": "integer"}]
            return {"type": "array", "prefixItems": pair, "items": False, "minItems": 2}
        case RowNode(items):
            row = [schema_of(item) for item in items]
            return {"type": "array", "prefixItems": row, "items": False, "minItems": len(row)}
        case MaybeNode(inner):
            return {"anyOf": [{"type": "null"}, schema_of(inner)]}
        case ManyNode(item, least):
            return {"type": "array", "items": schema_of(item), **({"minItems": least} if least else {})}
        case TableNode(value):
            return {"type": "object", "additionalProperties": schema_of(value)}
        case VariantNode(tag, variants):
            return {"oneOf": [_tagged(tag, name, inner) for name, inner in variants.items()]}
        case RecordNode(fields):
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
    if field.default is None or isinstance(field.node, MaybeNode) or field.default() is not None:
        return own
    return {"anyOf": [{"type": "null"}, own]}


def _tagged(tag: str, name: str, node: Node) -> dict[str, Any]:
    fields = node.fields if isinstance(node, RecordNode) else ()
    own = _record(fields)
    return {
        **own,
        "properties": {tag: {"const": name}, **own["properties"]},
        "required": [tag, *own["required"]],
    }


def _leaf(leaf: LeafNode) -> dict[str, Any]:
    if leaf.choices and leaf.kind is not LeafKind.FLAG:
        return {"enum": list(leaf.choices)}
    if leaf.kind is LeafKind.ANY:
        return {}
    if leaf.kind is LeafKind.BYTES:
        return {"type": "string", "contentEncoding": "base64"}
    bounds = {"minimum": leaf.least, "maximum": leaf.most} if leaf.kind is LeafKind.WHOLE else {}
    return {
        "type": leaf.kind.value,
        **{name: int(bound) for name, bound in bounds.items() if not isinf(bound)},
    }
