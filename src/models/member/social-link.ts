/** The social_links table: maps accounts at OAuth providers to members. */
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { isSameEmailSql } from '../../platform/email-address.js';

/** The readable columns. */
const SOCIAL_LINK = new ColumnList({
  id: column<number>('id'),
  memberId: column<number>('member_id'),
  provider: column<string>('provider'),
  email: column<string | null>('email'),
  createdAt: column<Date>('created_at'),
});

export type SocialLinkRow = Row<typeof SOCIAL_LINK>;

export const LINK_BY_SUBJECT = statement<[provider: string, subject: string], SocialLinkRow>(
  'link_by_subject',
  `select ${SOCIAL_LINK.select} from social_links where provider = $1 and subject = $2`,
);

/** `email`: the address that the provider has verified; the member's own becomes verified if it is the same. */
export const ADD_LINK = statement<
  [memberId: number, provider: string, subject: string, email: string | null],
  SocialLinkRow
>(
  'add_link',
  `with verified as (
     update members set email_verified_at = now() where id = $1 and ${isSameEmailSql('email', '$4')} and email_verified_at is null
   )
   insert into social_links (member_id, provider, subject, email) values ($1, $2, $3, $4) returning ${SOCIAL_LINK.select}`,
);

/** Oldest first. */
export const MEMBER_LINKS = statement<[memberId: number], SocialLinkRow>(
  'member_links',
  `select ${SOCIAL_LINK.select} from social_links where member_id = $1 order by id`,
);

export const REMOVE_LINK = statement<[memberId: number, provider: string], SocialLinkRow>(
  'remove_link',
  `delete from social_links where member_id = $1 and provider = $2 returning ${SOCIAL_LINK.select}`,
);
