/** Registering and logging in, over REST. */
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { field, object } from '../engine/source.js';
import { MEMBER, TOKENS } from './shapes.js';

const register: Endpoint = {
  method: 'POST',
  path: '/auth/register',
  group: 'Auth',
  summary: 'Register an account',
  description:
    'No authentication required. Email and nickname must be unique, ignoring case; a nickname that is confusable ' +
    'with an existing one counts as taken (UTS 39). Without a nickname, one is generated from the member name. The response ' +
    'contains no tokens: log in to get them. Attempts are limited per network: above the limit, the status is 429 with ' +
    '`Retry-After`.',
  example: { email: 'hana@example.org', password: 'seven quiet lighthouses', memberName: 'Hana Kim', nickname: 'hana' },
  auth: 'none',
  status: 201,
  message: 'registered',
  body: 'json',
  operation: `mutation ($input: RegisterInput!) { register(input: $input) { ...Member } } ${MEMBER}`,
  variables: {
    input: object({
      email: field('email'),
      password: field('password'),
      memberName: field('memberName'),
      nickname: field('nickname'),
    }),
  },
  result: rootField('register'),
  errors: ['EMAIL_TAKEN', 'NICKNAME_TAKEN', 'RATE_LIMITED'],
};

const login: Endpoint = {
  method: 'POST',
  path: '/auth/login',
  group: 'Auth',
  summary: 'Log in',
  description:
    'No authentication required. Returns an access token for the `Authorization` header, and a refresh token for use ' +
    'when the access token expires. Failed attempts are limited per account and per network: above the limit, the ' +
    'status is 429 with `Retry-After`.',
  example: { email: 'mina@example.org', password: 'the fog lifts at nine' },
  auth: 'none',
  status: 200,
  message: 'loggedIn',
  body: 'json',
  operation: `mutation ($input: LoginInput!) { login(input: $input) { ...Tokens } } ${TOKENS}`,
  variables: { input: object({ email: field('email'), password: field('password') }) },
  result: rootField('login'),
  errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
};

export const authEndpoints = [register, login];
