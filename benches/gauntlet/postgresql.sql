create table numbers (n bigint, t text);
insert into numbers select i, repeat('x', (i % 100)::int) from generate_series(1, 100000) i;
create index on numbers (t);
analyze numbers;
select count(*), sum(n), max(length(t)) from numbers;
select n % 7, count(*), count(distinct t) from numbers group by 1 order by 1;
select count(*) from numbers a join numbers b on a.n = b.n + 1 where a.t < b.t;
select length(string_agg(to_jsonb(numbers)::text, ',' order by t, n)) from numbers where n < 50000;
