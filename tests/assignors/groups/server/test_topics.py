from kassay.assignors.groups.server.topics import topic_id_key
from kassay.model.cluster import Topic


def test_the_topic_id_counts_before_the_name():
    by_id = topic_id_key(Topic("any", 1, topic_id="AAAAAAAAAAEAAAAAAAAAAg"))
    assert by_id == (1, 2)
    assert by_id == topic_id_key(Topic("AAAAAAAAAAEAAAAAAAAAAg", 1))


def test_an_id_with_the_top_bit_set_is_negative():
    most, least = topic_id_key(Topic("_____________________w", 1))
    assert (most, least) == (-1, -1)


def test_a_name_that_is_no_id_gives_one_that_is_the_same_everywhere():
    # Pinned: a change here changes answers between versions.
    assert topic_id_key(Topic("orders", 1)) == topic_id_key(Topic("orders", 7))
    assert topic_id_key(Topic("orders", 1)) != topic_id_key(Topic("Orders", 1))
    assert topic_id_key(Topic("orders", 1)) == (4956774724941422750, 7358548694511558226)
