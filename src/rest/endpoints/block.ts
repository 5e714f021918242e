/** The members whom the authenticated member blocks, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { pageNumber, path, query } from '../engine/source.js';
import { PAGINATION, PROFILE } from './shapes.js';

const BLOCK = shape({
  fragment: 'fragment MemberBlock on MemberBlock { memberId blocked }',
  description: 'Whether the authenticated member blocks a member.',
  example: { memberId: 2, blocked: true },
});

const blockMember: Endpoint = {
  method: 'PUT',
  path: '/members/{memberId}/block',
  summary: 'Block a member',
  description:
    'Authentication required; not with an API token. Idempotent. Ends follows between you. The blocked member cannot comment on your articles, ' +
    'reply to your comments, like your articles, or follow you. Each of you sees `(blocked)` in place of the content of the comments of the other.',
  example: { memberId: 3 },
  message: 'memberBlocked',
  operation: `mutation ($memberId: ID!) { blockMember(memberId: $memberId) { ...MemberBlock } } ${BLOCK}`,
  variables: { memberId: path('memberId') },
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
  operation: `mutation ($memberId: ID!) { unblockMember(memberId: $memberId) { ...MemberBlock } } ${BLOCK}`,
  variables: { memberId: path('memberId') },
  errors: ['MEMBER_NOT_FOUND'],
};

const listBlocks: Endpoint = {
  method: 'GET',
  path: '/members/me/blocks',
  summary: 'List the members whom you block, the last blocked first',
  description: 'Authentication required; not with an API token. Nobody else sees this list.',
  example: { page: 1, size: 10 },
  operation: `query ($page: Int, $size: Int) {
    blocks(page: $page, size: $size) { contents { ...Profile } pagination { ...Pagination } }
  } ${PROFILE} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
};

export const blockEndpoints = [listBlocks, blockMember, unblockMember];
