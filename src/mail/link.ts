/** Links in e-mails, with one-time tokens. */
import type { Config } from '../config/index.js';

/** What the token of a link permits. */
export type LinkPurpose = 'reset' | 'confirm' | 'undo' | 'unsubscribe';

/** Stands for a token in a pending e-mail (src/auth/one-time-token.ts). */
export interface TokenReference {
  purpose: LinkPurpose;
  id: string;
  /** SHA-256 of the token in base64url. */
  hash: string;
}

/** The token is in the fragment, so that it appears in no log and no Referer header; mail clients send that of `unsubscribe` to this service. */
export function linkTo({ accountUrl, publicUrl }: Config, purpose: LinkPurpose, token: string): string {
  return purpose === 'unsubscribe'
    ? `${publicUrl}/account/unsubscribe?token=${token}`
    : `${accountUrl}/${purpose}#token=${token}`;
}
