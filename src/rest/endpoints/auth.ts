/** Registering and logging in, over REST. */
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { field, object } from '../engine/source.js';
import { MEMBER, TOKENS } from './shapes.js';

const register: Endpoint = {
  method: 'POST',
  path: '/auth/register',
  group: 'Auth',
  summary: 'Make an account',
  description:
    'The email and the nickname must be free, whatever the case of their letters. A nickname that looks like one that is ' +
    'taken counts as taken (UTS 39). Without a nickname, one is made from the member name. No tokens come with it: log in ' +
    'to get them. Attempts are counted for each network; after too many, the answer is 429 with the seconds to wait.',
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
    'Gives an access token for the `Authorization` header, and a refresh token for when that one expires. ' +
    'Failures are counted for the account and for the network; after too many, the answer is 429 with the ' +
    'seconds to wait.',
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
