-- add_jobs
-- (text, text[], text[], text[], integer, double precision, text) returns ()
with
  turn as materialized (
    select
      case
        when $7::text is null then $5::int
        else greatest(
          $5::int,
          (
            select
              min(priority)
            from
              graphile_worker._private_jobs
            where
              is_available
              and priority between $5::int and $5::int + 9999
              and task_id = (
                select
                  id
                from
                  graphile_worker._private_tasks
                where
                  identifier = $1::text
              )
          ),
          (
            select
              max(priority) + 1
            from
              graphile_worker._private_jobs
            where
              payload ->> 'client' = $7::text
              and (
                is_available
                or locked_at is not null
              )
              and priority between $5::int and $5::int + 9999
              and task_id = (
                select
                  id
                from
                  graphile_worker._private_tasks
                where
                  identifier = $1::text
              )
          )
        )
      end as priority
  )
select
from
  turn
  cross join unnest($2::text[], $3::text[], $4::text[]) with ordinality as j (payload, key, queue, number),
  lateral graphile_worker.add_job (
    $1::text,
    j.payload::json,
    queue_name => j.queue,
    job_key => j.key,
    priority => least(turn.priority + j.number - 1, $5::int + 9999)::int,
    run_at => now() + $6 * interval '1 second'
  );

-- queue_depth
-- () returns (text, bigint, text)
select
  task_identifier as task,
  count(*) as jobs,
  case
    when key is null then 'due'
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
