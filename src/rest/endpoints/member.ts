/** The authenticated member's own profile, and public profiles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { presenceInList } from '../engine/source.js';
import { MEMBER, PROFILE_WITH_VIEWER } from './shapes.js';

const COUNTED_CATEGORY = shape({
  fragment: `fragment CountedCategory on Category { id categoryName: name articleCount }`,
  description: 'A category of a member, with the number of articles in it.',
  example: { id: 3, categoryName: 'Travel', articleCount: 12 },
});

const readProfile: Endpoint = {
  method: 'GET',
  path: '/members/me',
  summary: 'Read your profile',
  description: 'Authentication required. Includes the email and the member name, which other members cannot see.',
  operation: ['me', MEMBER],
};

const updateProfile: Endpoint = {
  method: 'PATCH',
  ignoresUnknownParameters: true,
  path: '/members/me',
  summary: 'Update your profile',
  description:
    'Authentication required. Omitted fields keep their values. An image is sent in the multipart part `file`. A new ' +
    'password requires the current one (an account without a password: a login within the last 10 minutes) and ends ' +
    'your other sessions.',
  example: { nickname: 'mina', bio: 'I walk along the coast and write about it.' },
  status: 204,
  operation: 'updateMember',
  errors: ['IMAGE_INVALID', 'NICKNAME_TAKEN'],
};

const withdraw: Endpoint = {
  method: 'DELETE',
  path: '/members/me',
  summary: 'Delete your account',
  description:
    'Authentication required. Permanently deletes your personal data, sessions, settings, image and articles. Your ' +
    'comments on articles of other members remain, with the author `(withdrawn)`. The email can be registered again. ' +
    'An account without a password requires a login within the last 10 minutes.',
  example: { password: 'the fog lifts at nine' },
  message: 'accountDeleted',
  operation: 'withdraw',
  errors: ['PROOF_REQUIRED'],
};

/** What both profiles have. @param argument with which the root field finds the member */
function profileWithViewer(field: string, argument: string, type: string) {
  return {
    variables: presenceInList(
      'include',
      { withViewer: 'viewer' },
      'Adds what you have done with the member; null without a token.',
    ),
    operation: `query ($${argument}: ${type}, $withViewer: Boolean!) { ${field}(${argument}: $${argument}) { ...ProfileWithViewer } } ${PROFILE_WITH_VIEWER}`,
  };
}

const readMember: Endpoint = {
  ...profileWithViewer('member', 'id', 'ID!'),
  method: 'GET',
  path: '/members/{memberId}',
  summary: 'Read the public profile of a member',
  description: 'No authentication required. The email and the member name are private and not included.',
  example: { include: 'viewer' },
  errors: ['MEMBER_NOT_FOUND'],
};

const readMemberByNickname: Endpoint = {
  method: 'GET',
  path: '/members/by-nickname/{nickname}',
  summary: 'Read the public profile of the member with a nickname',
  description: 'No authentication required. Percent-encode the nickname as UTF-8; case does not matter.',
  ...profileWithViewer('memberByNickname', 'nickname', 'String!'),
  example: { nickname: 'mina', include: 'viewer' },
  errors: ['MEMBER_NOT_FOUND'],
};

const listCategoriesOfMember: Endpoint = {
  method: 'GET',
  path: '/members/{memberId}/categories',
  summary: 'List the categories of a member, with the number of articles in each',
  description: 'No authentication required. The default category is the first. Not paginated.',
  operation: `query ($id: ID!) {
    memberCategories: member(id: $id) { contents: categories { ...CountedCategory } }
  } ${COUNTED_CATEGORY}`,
  errors: ['MEMBER_NOT_FOUND'],
};

export const memberEndpoints = [
  readProfile,
  updateProfile,
  withdraw,
  readMember,
  readMemberByNickname,
  listCategoriesOfMember,
];
