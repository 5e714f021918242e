/** The address under which an account is found: a mail domain in Unicode, in upper case and in Punycode is one domain. */
import type { Database, Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { addressForms, emailKey, emailKeySql } from '../../platform/email-address.js';

/** Version 1.0.0 stored addresses as they were given: of several accounts, the one with the first form. */
const STORED_ADDRESS = statement<[keys: readonly string[]], { email: string }>(
  'stored_address',
  `select email from (
     select email from members where ${emailKeySql('email')} = any($1::text[])
     union all
     select email from one_time_tokens
     where purpose in ('change', 'undo') and ${emailKeySql('email')} = any($1::text[]) and expires_at > now()
   ) known order by array_position($1::text[], ${emailKeySql('email')}) limit 1`,
);

/**
 * @param email as it is given
 * @returns the stored form if an account has it or can get it by a link; else the form in which new addresses are stored. The statements that run do
 *   not depend on the accounts
 */
export async function knownAddress(database: Database | Transaction, email: string): Promise<string> {
  const forms = addressForms(email);
  const [canonical = email] = forms.slice(1);
  if (forms.length === 1) return email;
  const [known] = await database.query(STORED_ADDRESS, [forms.map(emailKey)]);
  return known?.email ?? canonical;
}
