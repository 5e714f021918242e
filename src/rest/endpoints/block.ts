/** The members whom the authenticated member blocks, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';
import { PROFILE } from './shapes.js';

const BLOCK = plainShape('MemberBlock', 'Whether the authenticated member blocks a member.', {
  memberId: 2,
  blocked: true,
});

const blockMember: Endpoint = {
  method: 'PUT',
  path: '/members/{memberId}/block',
  summary: 'Block a member',
  description:
    'Authentication required; not with an API token. Idempotent. Ends follows between you; neither can follow the other. The blocked member cannot ' +
    'comment on your articles, reply to you, mention you, edit earlier comments there, or like your articles. Each of you sees `(blocked)` in place of the content of the comments of the other.',
  example: { memberId: 3 },
  message: 'memberBlocked',
  operation: ['blockMember', BLOCK],
  errors: ['BLOCK_LIMIT_REACHED', 'MEMBER_NOT_FOUND'],
};

const unblockMember: Endpoint = {
  method: 'DELETE',
  path: '/members/{memberId}/block',
  summary: 'Unblock a member',
  description:
    'Authentication required; not with an API token. Idempotent. Follows that the block has ended do not come back.',
  example: { memberId: 3 },
  message: 'memberUnblocked',
  operation: ['unblockMember', BLOCK],
  errors: ['MEMBER_NOT_FOUND'],
};

const listBlocks: Endpoint = {
  method: 'GET',
  path: '/members/me/blocks',
  summary: 'List the members whom you block, the last blocked first',
  description: 'Authentication required; not with an API token. Other members cannot read this list.',
  operation: ['blocks', PROFILE],
};

export const blockEndpoints = [listBlocks, blockMember, unblockMember];
