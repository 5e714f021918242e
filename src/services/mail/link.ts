/** Links in emails, with one-time tokens. */
import type { Config } from '../../platform/config/index.js';

/** What the token of a link permits. */
export type LinkPurpose = 'reset' | 'confirm' | 'undo';

/** Stands for a token in a pending email (src/services/auth/one-time-token.ts). */
export interface TokenReference {
  purpose: LinkPurpose;
  id: string;
  /** SHA-256 of the token in base64url. */
  hash: string;
}

/** The token is in the fragment, so that it appears in no log and no Referer header. */
export function linkTo({ accountUrl }: Config, purpose: LinkPurpose, token: string): string {
  return `${accountUrl}/${purpose}#token=${token}`;
}

/** Of a page of this service. The token is in the query, since mail clients send it without a browser (RFC 8058). */
export function unsubscribeLink({ publicUrl }: Config, token: string): string {
  return `${publicUrl}/account/unsubscribe?token=${token}`;
}
