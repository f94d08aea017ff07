-- Questions to the tables of `kassay campaign` and `kassay fleet`, as DuckDB and Spark SQL read them.
-- Each table is a view of its own name. A day is one of UTC: `SET TimeZone = 'UTC'`.

-- Which targets break which claims, and how often?
SELECT target, claim, failed, contradictory, histories
FROM verdicts WHERE profile = '*' AND verdict = 'violated' ORDER BY failed DESC, target, claim;

-- Which histories break a claim, the smallest first?
SELECT target, profile, history, members, partitions, events
FROM runs WHERE array_contains(broken, 'balanced-within-one')
ORDER BY members + partitions + events, target, profile, history LIMIT 10;

-- How often are a target's loads not optimal, and how many moves are needless?
SELECT target, sum(outcomes) AS outcomes, round(sum(unbalanced) / sum(outcomes), 4) AS unbalanced_share,
  sum(moved) AS moved, sum(moved_least) AS moved_least
FROM gaps GROUP BY target ORDER BY unbalanced_share, target;

-- Does the distance from the optimum grow with the group?
SELECT target, CASE WHEN members < 3 THEN '1-2' WHEN members < 6 THEN '3-5' ELSE '6-' END AS members_class,
  count(*) AS histories, round(avg(balance), 4) AS balance_mean, max(balance_worst) AS balance_worst
FROM gaps WHERE outcomes > 0 GROUP BY ALL ORDER BY target, members_class;

-- What did no history reach?
SELECT target, situation FROM reached WHERE profile = '*' AND times = 0 ORDER BY target, situation;

-- How fast was each batch, and how long did the last task keep the others waiting?
SELECT batch, histories, elapsed_s, round(histories / elapsed_s, 1) AS histories_per_s,
  round(longest_s / median_s, 2) AS longest_to_median
FROM batches ORDER BY batch;

-- Which machine does the work, at what cost per million histories?
SELECT host, count(*) AS tasks, sum(histories) AS histories, max(peak_kib) AS peak_kib,
  round(1000000 * sum(work_s) / sum(histories) / 3600, 3) AS hours_per_million
FROM timings GROUP BY host ORDER BY host;

-- How much moves in the fleet on each day?
SELECT CAST(seen_at AS DATE) AS seen_on, event, count(*) AS events, count(DISTINCT group_id) AS group_count
FROM events GROUP BY ALL ORDER BY seen_on, event;

-- Which groups moved more partitions than they had to?
SELECT group_id, members, partitions, rebalances, moved, moved_least
FROM replays WHERE assignor = 'actual' AND moved > moved_least
ORDER BY moved - moved_least DESC, group_id LIMIT 10;

-- For how many groups is each candidate better than what happened, and what does the switch move?
SELECT assignor, sum(CASE WHEN against_actual = 'better' THEN 1 ELSE 0 END) AS better,
  sum(CASE WHEN against_actual = 'worse' THEN 1 ELSE 0 END) AS worse, sum(to_switch) AS to_switch
FROM replays WHERE assignor <> 'actual' GROUP BY assignor ORDER BY better DESC, worse, assignor;

-- Which groups were least balanced, and when were they last seen?
SELECT group_id, max(most - least) AS spread_most, sum(unowned) AS unowned, max(seen_at) AS last_seen_at
FROM states WHERE members > 1 GROUP BY group_id ORDER BY spread_most DESC, group_id LIMIT 10;
