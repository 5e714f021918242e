/** The authenticated member's own profile, and public profiles, over REST. */
import { WithdrawArgs } from '../../schema/member.js';
import { IdArgs } from '../../schema/scalars.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField } from '../engine/endpoint.js';
import { field, fields, file, object, path } from '../engine/source.js';
import { COUNTED_CATEGORY, MEMBER, PROFILE } from './shapes.js';

const readProfile: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/me',
  group: 'Member',
  summary: 'Read your profile',
  description: 'Authentication required. Includes the email and the member name, which other members cannot see.',
  example: {},
  auth: 'bearer',
  operation: `{ me { ...Member } } ${MEMBER}`,
  variables: {},
  result: rootField('me'),
};

const updateProfile: Endpoint = {
  method: 'PATCH',
  ignoresUnknownParameters: true,
  path: '/members/me',
  group: 'Member',
  summary: 'Update your profile',
  description:
    'Authentication required. Omitted fields keep their values. An image is sent in the multipart part `file`. A new ' +
    'password requires the current one (an account without a password: a login within the last 10 minutes) and ends ' +
    'your other sessions.',
  example: { nickname: 'mina', bio: 'I walk along the coast and write about it.' },
  auth: 'bearer',
  status: 204,
  message: 'ok',
  body: 'multipart',
  operation: 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }',
  variables: {
    input: object({
      ...fields('memberName', 'nickname', 'bio', 'password', 'currentPassword', 'removeImage'),
      image: file(),
    }),
  },
  result: nothing,
  errors: ['IMAGE_INVALID', 'NICKNAME_TAKEN'],
};

const withdraw: Endpoint = {
  method: 'DELETE',
  path: '/members/me',
  group: 'Member',
  summary: 'Delete your account',
  description:
    'Authentication required. Permanently deletes your personal data, sessions, settings, image and articles. Your ' +
    'comments on articles of other members remain, with the author `(withdrawn)`. The email can be registered again. ' +
    'An account without a password requires a login within the last 10 minutes.',
  example: { password: 'the fog lifts at nine' },
  auth: 'bearer',
  status: 200,
  message: 'accountDeleted',
  body: 'optional',
  operation: 'mutation ($password: String) { withdraw(password: $password) { id } }',
  variables: { password: field('password') },
  args: WithdrawArgs,
  result: nothing,
  errors: ['PROOF_REQUIRED'],
};

const readMember: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/{memberId}',
  group: 'Member',
  summary: 'Read the public profile of a member',
  description: 'No authentication required. The email and the member name are private and not included.',
  example: { memberId: 1 },
  auth: 'none',
  operation: `query ($id: ID!) { member(id: $id) { ...Profile } } ${PROFILE}`,
  variables: { id: path('memberId') },
  args: IdArgs,
  result: rootField('member'),
  errors: ['MEMBER_NOT_FOUND'],
};

const listCategoriesOfMember: Endpoint = {
  ...GET_DEFAULTS,
  path: '/members/{memberId}/categories',
  group: 'Member',
  summary: 'List the categories of a member, with the number of articles in each',
  description: 'No authentication required. The default category is the first. Not paginated: there are at most 21.',
  example: { memberId: 1 },
  auth: 'none',
  operation: `query ($id: ID!) {
    memberCategories: member(id: $id) { contents: categories { ...CountedCategory } }
  } ${COUNTED_CATEGORY}`,
  variables: { id: path('memberId') },
  args: IdArgs,
  result: rootField('memberCategories'),
  errors: ['MEMBER_NOT_FOUND'],
};

export const memberEndpoints = [readProfile, updateProfile, withdraw, readMember, listCategoriesOfMember];
