/** Whether the session or the API token of a request still gives access: it may end while the request waits. */

/**
 * A condition in SQL, for the first statement of a transaction: a text is rendered and an image processed between the check of the token and the
 * transaction. What changes the account itself takes the lock of `lockAccount` instead.
 * @param id of the session or API token; null without a request
 */
export function hasAccessSql(id: string): string {
  return `(${id}::uuid is null or exists (select from sessions where id = ${id} and expires_at > now())
    or exists (select from api_tokens where id = ${id} and coalesce(expires_at > now(), true)))`;
}
