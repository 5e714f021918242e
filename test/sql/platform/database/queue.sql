-- add_jobs
-- (text, text[], text[], text[], integer[], double precision) returns ()
select
from
  unnest($2::text[], $3::text[], $4::text[], $5::int[]) as j (payload, key, queue, priority),
  lateral graphile_worker.add_job (
    $1,
    j.payload::json,
    queue_name => j.queue,
    job_key => j.key,
    priority => j.priority,
    run_at => now() + $6 * interval '1 second'
  );

-- queue_depth
-- () returns (text, bigint, text)
select
  task_identifier as task,
  count(*) as jobs,
  case
    when attempts >= max_attempts then 'failed'
    when attempts > 0 then 'retrying'
    when run_at > now() then 'scheduled'
    else 'due'
  end as state
from
  graphile_worker.jobs
group by
  1,
  3;
