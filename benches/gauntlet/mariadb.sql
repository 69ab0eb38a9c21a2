create database job; use job;
create table numbers (n int primary key, t varchar(100)) engine=innodb;
insert into numbers select seq, repeat('x', seq % 100) from seq_1_to_100000;
create index t on numbers (t);
select count(*), sum(n), max(length(t)) from numbers;
select n % 7, count(*), count(distinct t) from numbers group by 1 order by 1;
select count(*) from numbers a join numbers b on a.n = b.n + 1 where a.t < b.t;
