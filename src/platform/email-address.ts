/** Email addresses: their form, and the key under which two spellings are one address. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { countCodePoints } from './text.js';

/** Including the `@` (RFC 5321 §4.5.3.1.3). */
export const MAX_EMAIL_LENGTH = 254;

/** `local@domain`, with the length limits of RFC 5321 §4.5.3.1. Existence of the mailbox is not checked. */
export function isEmailAddress(text: string): boolean {
  const length = countCodePoints(text);
  if (length < 3 || length > MAX_EMAIL_LENGTH) return false;
  const [, local = '', domain = ''] = /^([^\s\p{Cc}\p{Cf}\p{Cs}@"(),:;<>[\]\\]+)@([^\s@]+)$/u.exec(text) ?? [];
  const isLocal = local.length > 0 && local.length <= 64 && !/^\.|\.\.|\.$/.test(local);
  return isLocal && isDomain(domain);
}

/** Labels of at most 63 characters (RFC 1035 §2.3.4), with letters of any script for internationalized domain names. */
function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
  return labels.length > 1 && labels.every((part) => label.test(part));
}

/**
 * Two addresses are one account if their keys are equal. Only the letters A to Z are folded: other letters are lowercased differently by
 * JavaScript, by PostgreSQL and by its locales (`İ`), and mail servers do not have to ignore their case (RFC 5321 §2.4).
 * `emailKeySql` is the same in SQL; it is a unique index of `members`.
 */
export function emailKey(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** `emailKey` in SQL: with the collation C, `lower` folds ASCII letters only, whatever the locale of the database is. */
export function emailKeySql(text: string): string {
  return `lower(${text}::text collate "C")`;
}

/** A condition in SQL: whether two texts are one address. */
export function isSameEmailSql(one: string, other: string): string {
  return `${emailKeySql(one)} = ${emailKeySql(other)}`;
}

/**
 * An address as it is given, and the forms of its domain if that is internationalized: first the one in which new addresses are stored, Unicode in
 * lower case; then Punycode, and the frequent forms with upper case. Mail servers compare Punycode (RFC 5891).
 */
export function addressForms(address: string): string[] {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  if (ascii === '' || (ascii === unicode && ascii === domain.toLowerCase())) return [address];
  const title = unicode.replace(/^./u, (letter) => letter.toUpperCase());
  const forms = [unicode, ascii, unicode.toUpperCase(), title].map((form) => address.slice(0, at) + form);
  return [address, ...forms.filter(isEmailAddress)];
}

/** The key of limits of emails: additionally, domains are equal that are one domain for mail servers, such as those with full-width letters. */
export function mailboxKey(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${emailKey(address.slice(0, at))}@${domainToASCII(domain) || emailKey(domain)}`;
}
