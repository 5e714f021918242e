/** The shapes that several groups of endpoints share, and parts of their examples. */
import { plainShape, shape } from '../engine/shape.js';

export const TIMES = { createdAt: '2026-11-20T09:30:00', updatedAt: '2026-11-20T09:30:00' };

/** In examples. Where they are sent, a time replaces it that is within the limits of the field. */
export const FUTURE = '2099-12-24T18:00:00';

export const IMAGE_URL = 'https://journal.example.org/images/7f83b1657ff1fc53b92dc18148a1d65d';

export const IMAGE_SIZE_EXAMPLE = { url: `${IMAGE_URL}-320.webp`, width: 320 };

const PROFILE_IMAGE_SIZE_EXAMPLE = { url: `${IMAGE_URL}-64.webp`, width: 64 };

export const PAGINATION = plainShape('Pagination', 'The position of a page in its list.', {
  currentPage: 1,
  pageSize: 10,
  totalElements: 1,
  totalPages: 1,
  last: true,
  first: true,
});

export const IMAGE_SIZE = plainShape('ImageSize', 'A smaller size of an image, in WebP.', IMAGE_SIZE_EXAMPLE);

const SUSPENSION = plainShape('Suspension', 'Why and until when a member cannot write. Times are in UTC.', {
  since: '2026-11-20T09:30:00',
  until: FUTURE,
  rule: 'No advertising',
  statement: 'Twenty comments with the same advertisement.',
});

export const MEMBER = shape({
  fragment: `fragment Member on Account {
    id email emailVerified memberName nickname profileImg profileImgSizes { ...ImageSize } bio role suspension { ...Suspension } createdAt updatedAt
  } ${IMAGE_SIZE} ${SUSPENSION}`,
  description: 'The authenticated member, with private fields. Times are in UTC.',
  example: {
    id: 1,
    email: 'mina@example.org',
    emailVerified: true,
    memberName: 'Mina Kim',
    nickname: 'mina',
    profileImg: `${IMAGE_URL}.webp`,
    profileImgSizes: [PROFILE_IMAGE_SIZE_EXAMPLE],
    bio: 'I walk along the coast and write about it.',
    role: 'MEMBER',
    suspension: null,
    ...TIMES,
  },
});

const PROFILE_FIELDS = `id nickname bio profileImg profileImgSizes { ...ImageSize } role articleCount followerCount createdAt`;

const PROFILE_EXAMPLE = {
  id: 1,
  nickname: 'mina',
  bio: 'I walk along the coast and write about it.',
  profileImg: `${IMAGE_URL}.webp`,
  profileImgSizes: [PROFILE_IMAGE_SIZE_EXAMPLE],
  role: 'MEMBER',
  articleCount: 12,
  followerCount: 3,
  createdAt: TIMES.createdAt,
};

export const PROFILE = shape({
  fragment: `fragment Profile on Member { ${PROFILE_FIELDS} } ${IMAGE_SIZE}`,
  description: 'The public profile of a member. Times are in UTC.',
  example: PROFILE_EXAMPLE,
});

const VIEWER_EXAMPLE = { follows: true, blocks: false };

const MEMBER_VIEWER = plainShape(
  'MemberViewer',
  'What the authenticated member has done with another one.',
  VIEWER_EXAMPLE,
);

/** Requires the variable `$withViewer`. */
export const PROFILE_WITH_VIEWER = shape({
  fragment: `fragment ProfileWithViewer on Member {
    ${PROFILE_FIELDS} viewer @include(if: $withViewer) { ...MemberViewer }
  } ${IMAGE_SIZE} ${MEMBER_VIEWER}`,
  description: 'The public profile of a member, and what the authenticated member has done with it. Times are in UTC.',
  example: { ...PROFILE_EXAMPLE, viewer: VIEWER_EXAMPLE },
});

export const TOKENS = plainShape('Tokens', 'The tokens of a session.', {
  accessToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIxIn0.bm90IGEgc2lnbmF0dXJl',
  refreshToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJlZnJlc2grand0In0.eyJzdWIiOiIxIn0.bm90IGEgc2lnbmF0dXJl',
});

export const SERIES_EXAMPLE = {
  id: 1,
  title: 'Along the coast',
  description: 'From the lighthouse to the harbor, in five days.',
  memberId: 1,
  articleCount: 1,
  updatedAt: TIMES.updatedAt,
};

export const SERIES = plainShape(
  'Series',
  'A series with the number of its public articles. Times are in UTC.',
  SERIES_EXAMPLE,
);
