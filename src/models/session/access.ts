/** Whether the session or the API token of a request still permits its change: it may end, and its member be suspended, while the request waits. */

/**
 * A condition in SQL, which fails with MEMBER_SUSPENDED for a suspended member, for the first statement of a transaction: a text is rendered and an image processed between the check of the token and the
 * transaction. What changes the account itself takes the lock of `lockAccount` instead.
 * @param id of the session or API token; null without a request
 */
export function hasAccessSql(id: string): string {
  // The function runs for the rows that the conditions select.
  const ofMember = (table: string, isLive: string) =>
    `(select require_not_suspended(member_id) from ${table} where id = ${id} and ${isLive})`;
  return `(${id}::uuid is null or coalesce(${ofMember('sessions', 'expires_at > now()')},
    ${ofMember('api_tokens', 'coalesce(expires_at > now(), true)')}, false))`;
}
