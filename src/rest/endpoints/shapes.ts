/** The shapes of REST responses: GraphQL fragments whose names are those of the OpenAPI component schemas. */

const COMMENT_FIELDS = 'id content author: authorName memberId createdAt updatedAt';

export const REPLY = `fragment Reply on Comment {
  ${COMMENT_FIELDS}
}`;

export const COMMENT = `fragment Comment on Comment {
  ${COMMENT_FIELDS} replies { ...Reply }
}
${REPLY}`;

/** A comment or reply without its replies, with the ids of its article and its parent. */
export const PLACED_COMMENT = `fragment PlacedComment on Comment {
  ${COMMENT_FIELDS} articleId parentId
}`;

export const OWN_COMMENT = `fragment OwnComment on Comment {
  ${COMMENT_FIELDS} articleId parentId hidden
}`;

export const COMMENT_ON_PAGE = `fragment CommentOnPage on Comment {
  ${COMMENT_FIELDS} articleId parentId page(size: $size)
}`;

export const COMMENT_VISIBILITY = `fragment CommentVisibility on Comment {
  commentId: id hidden
}`;

export const PAGINATION = `fragment Pagination on Pagination {
  currentPage pageSize totalElements totalPages last first
}`;

export const MEMBER = `fragment Member on Account {
  id email emailVerified memberName nickname profileImg bio createdAt updatedAt
}`;

export const PROFILE = `fragment Profile on Member {
  id nickname bio profileImg createdAt
}`;

const IMAGE_SIZE = `fragment ImageSize on ImageSize {
  url width
}`;

export const IMAGE = `fragment Image on Image {
  id url width height type sizes { ...ImageSize } createdAt
}
${IMAGE_SIZE}`;

const ARTICLE_FIELDS = `id title excerpt author: authorName authorImg memberId category: categoryName categoryId articleImg
  articleImgAlt articleImgSizes { ...ImageSize } tags commentCount createdAt updatedAt`;

/** Requires the variables `$isSearch`, `$withContent` and `$withHtml`. */
export const ARTICLE = `fragment Article on Article {
  ${ARTICLE_FIELDS} snippet @include(if: $isSearch)
  content @include(if: $withContent) contentHtml: renderedHtml @include(if: $withHtml)
}
${IMAGE_SIZE}`;

export const ARTICLE_DETAIL = `fragment ArticleDetail on Article {
  ${ARTICLE_FIELDS} content aiSummary version
}
${IMAGE_SIZE}`;

export const RENDERED_ARTICLE = `fragment RenderedArticle on Article {
  articleId: id contentHtml
}`;

export const ARTICLE_PREVIEW = `fragment ArticlePreview on ArticlePreview {
  contentHtml
}`;

export const TAG = `fragment Tag on Tag {
  name articleCount
}`;

export const SUMMARY = `fragment Summary on Article {
  articleId: id aiSummary status: summaryStatus
}`;

export const TOKENS = `fragment Tokens on Tokens {
  accessToken refreshToken
}`;

export const LOGIN_PROVIDER = `fragment LoginProvider on LoginProvider {
  provider
}`;

export const SOCIAL_LOGIN_URL = `fragment SocialLoginUrl on SocialLoginUrl {
  url state codeVerifier
}`;

export const SOCIAL_ACCOUNT = `fragment SocialAccount on SocialLink {
  id provider email createdAt
}`;

export const PASSKEY = `fragment Passkey on Passkey {
  id name credentialId transports backedUp createdAt lastUsedAt
}`;

export const PASSKEY_LOGIN_OPTIONS = `fragment PasskeyLoginOptions on PasskeyLoginOptions {
  challenge timeout rpId userVerification
}`;

export const PASSKEY_REGISTRATION_OPTIONS = `fragment PasskeyRegistrationOptions on PasskeyRegistrationOptions {
  rp { id name } user { id name displayName } challenge pubKeyCredParams { type alg } timeout
  excludeCredentials { type id transports }
  authenticatorSelection { residentKey requireResidentKey userVerification } attestation
}`;

export const SESSION = `fragment Session on Session {
  id device address createdAt lastUsedAt current
}`;

const API_TOKEN_FIELDS = 'id name scopes createdAt expiresAt lastUsedAt';

export const API_TOKEN = `fragment ApiToken on ApiToken {
  ${API_TOKEN_FIELDS}
}`;

export const CREATED_API_TOKEN = `fragment CreatedApiToken on CreatedApiToken {
  ${API_TOKEN_FIELDS} token
}`;

export const SECURITY_EVENT = `fragment SecurityEvent on SecurityEvent {
  id kind provider address device createdAt
}`;

export const NOTIFICATION = `fragment Notification on Notification {
  id type message articleId commentId actor: actorName read createdAt
}`;

export const NOTIFICATION_SETTING = `fragment NotificationSetting on NotificationSetting {
  type enabled email
}`;

export const CATEGORY = `fragment Category on Category {
  id categoryName: name memberId
}`;

export const COUNTED_CATEGORY = `fragment CountedCategory on Category {
  id categoryName: name articleCount
}`;

export const STYLE = `fragment Style on CustomStyle {
  id name role instruction createdAt updatedAt
}`;

export const STYLED_TEXT = `fragment StyledText on StyledText {
  transformedContent writingStyle: styleName
}`;

export const GENERATED_TEXT = `fragment GeneratedText on GeneratedText {
  text
}`;
