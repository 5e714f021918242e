-- export_snapshot
-- not prepared
set transaction isolation level repeatable read,
read only;
