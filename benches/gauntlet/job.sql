create table t(n integer primary key, s text);
with recursive c(i) as (select 1 union all select i + 1 from c where i < 250000)
insert into t select i, 'x' || (i * 7919 % 3001) from c;
create index i on t(s);
select count(*), count(distinct s), sum(n) from t;
select s, count(*), group_concat(n % 10, '') as g from t where n < 60000 group by s order by length(g) desc, s limit 3;
