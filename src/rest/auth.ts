/** Registering and logging in, over REST. */
import { type Endpoint, rootField } from './endpoint.js';
import { MEMBER, TOKENS } from './shapes.js';
import { field, object } from './source.js';

const register: Endpoint = {
  method: 'POST',
  path: '/auth/register',
  group: 'Auth',
  summary: 'Make an account',
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
  errors: ['EMAIL_TAKEN', 'NICKNAME_TAKEN'],
};

const login: Endpoint = {
  method: 'POST',
  path: '/auth/login',
  group: 'Auth',
  summary: 'Log in',
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
