"""Texts at hand, read like files."""

from kassay.reading.documents import HeldText, documents, head_of, read_pasted, read_text


def test_a_held_text_is_read_under_its_name():
    held = HeldText("input 1", '{"a": 1}\n{"a": 2}\n')
    assert held == "input 1" and read_text(held) == held.text and head_of(held, 4) == '{"a"'
    assert read_pasted(held).text == held.text
    assert [(each.document["a"], each.where) for each in documents(held)] == [
        (1, "input 1:1"),
        (2, "input 1:2"),
    ]
