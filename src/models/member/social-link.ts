/** The social_links table: maps accounts at OAuth providers to members. */
import { statement } from '../../database/statement.js';

export interface SocialLinkRow {
  id: number;
  memberId: number;
  provider: string;
  email: string | null;
  createdAt: Date;
}

const COLUMNS = 'id, member_id as "memberId", provider, email, created_at as "createdAt"';

/** Values: provider, subject. */
export const LINK_BY_SUBJECT = statement<SocialLinkRow>(
  'link_by_subject',
  `select ${COLUMNS} from social_links where provider = $1 and subject = $2`,
);

/** Values: member id, provider, subject, email or null. */
export const ADD_LINK = statement<SocialLinkRow>(
  'add_link',
  `insert into social_links (member_id, provider, subject, email) values ($1, $2, $3, $4) returning ${COLUMNS}`,
);

/** Oldest first. Values: member id. */
export const MEMBER_LINKS = statement<SocialLinkRow>(
  'member_links',
  `select ${COLUMNS} from social_links where member_id = $1 order by id`,
);

/** Values: member id, provider. */
export const REMOVE_LINK = statement<SocialLinkRow>(
  'remove_link',
  `delete from social_links where member_id = $1 and provider = $2 returning ${COLUMNS}`,
);

/** Locks the member's row (FOR UPDATE), so that changes to login methods are serialised. Values: member id. */
export const LOCK_LOGIN_WAYS = statement<{ passwordHash: string | null }>(
  'lock_login_ways',
  'select password_hash as "passwordHash" from members where id = $1 for update',
);
