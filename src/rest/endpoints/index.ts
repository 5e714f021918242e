/** Every REST endpoint. */
import type { Endpoint } from '../engine/endpoint.js';
import { apiTokenEndpoints } from './api-token.js';
import { appealEndpoints } from './appeal.js';
import { archiveEndpoints } from './archive.js';
import { articleEndpoints } from './article.js';
import { articleWriteEndpoints } from './article-write.js';
import { authEndpoints } from './auth.js';
import { blockEndpoints } from './block.js';
import { categoryEndpoints } from './category.js';
import { changeEndpoints } from './change.js';
import { commentEndpoints } from './comment.js';
import { customStyleEndpoints } from './custom-style.js';
import { discoveryEndpoints } from './discovery.js';
import { draftEndpoints } from './draft.js';
import { imageEndpoints } from './image.js';
import { memberEndpoints } from './member.js';
import { moderationEndpoints } from './moderation.js';
import { notificationEndpoints } from './notification.js';
import { passkeyEndpoints } from './passkey.js';
import { publicationEndpoints } from './publication.js';
import { reactionEndpoints } from './reaction.js';
import { recoveryEndpoints } from './recovery.js';
import { draftRevisionEndpoints, revisionEndpoints } from './revision.js';
import { seriesEndpoints } from './series.js';
import { sessionEndpoints } from './session.js';
import { sharedTextEndpoints } from './shared-text.js';
import { socialLoginEndpoints } from './social-login.js';
import { styleEndpoints } from './style.js';
import { summaryEndpoints } from './summary.js';
import { viewEndpoints } from './view.js';
import { webhookEndpoints } from './webhook.js';

export const endpoints: readonly Endpoint[] = [
  ...authEndpoints,
  ...recoveryEndpoints,
  ...socialLoginEndpoints,
  ...passkeyEndpoints,
  ...memberEndpoints,
  ...blockEndpoints,
  ...sessionEndpoints,
  ...apiTokenEndpoints,
  ...archiveEndpoints,
  ...articleEndpoints,
  ...discoveryEndpoints,
  ...articleWriteEndpoints,
  ...revisionEndpoints,
  ...draftEndpoints,
  ...draftRevisionEndpoints,
  ...publicationEndpoints,
  ...sharedTextEndpoints,
  ...seriesEndpoints,
  ...reactionEndpoints,
  ...viewEndpoints,
  ...imageEndpoints,
  ...summaryEndpoints,
  ...categoryEndpoints,
  ...commentEndpoints,
  ...customStyleEndpoints,
  ...changeEndpoints,
  ...webhookEndpoints,
  ...notificationEndpoints,
  ...moderationEndpoints,
  ...appealEndpoints,
  ...styleEndpoints,
];
