/** Every REST endpoint. */
import { articleEndpoints } from './article.js';
import { authEndpoints } from './auth.js';
import { commentEndpoints } from './comment.js';
import type { Endpoint } from './endpoint.js';
import { memberEndpoints } from './member.js';
import { sessionEndpoints } from './session.js';

export const endpoints: readonly Endpoint[] = [
  ...authEndpoints,
  ...sessionEndpoints,
  ...memberEndpoints,
  ...articleEndpoints,
  ...commentEndpoints,
];
