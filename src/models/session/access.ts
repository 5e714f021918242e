/** Whether the session or the API token of a request still permits its change (`has_access`, migrations/0005-access.ts). */

/**
 * A condition in SQL, which fails with MEMBER_SUSPENDED for a suspended member, for the first statement of a transaction: a text is rendered and an image processed between the check of the token and the
 * transaction. What changes the account itself takes the lock of `lockAccount` instead.
 * @param id of the session or API token; null without a request
 */
export const hasAccessSql = (id: string): string => `has_access(${id})`;
