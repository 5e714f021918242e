/** GraphQL types and arguments of share links, and of the texts that they lead to. */
import ms from 'ms';
import { ArgsType, Extensions, Field, Int, ObjectType } from 'type-graphql';
import { IMAGE_WIDTHS, type SizedImage } from '../services/images/store.js';
import { CreateArticleInput } from './article.js';
import { Secret } from './auth.js';
import { CONTENT_COST } from './cost.js';
import { IMAGE_HEIGHT, IMAGE_WIDTH, ImageSizeType } from './image.js';
import { RegisterInput } from './member.js';
import { LimitedAs, MaxItems, MaxLength } from './response-limits.js';
import { DateTime, type Moment } from './scalars.js';
import { IdField, Line, WholeNumber } from './validators.js';

const MIN_SHARE_SECONDS = ms('1h') / 1000;
const MAX_SHARE_SECONDS = ms('30d') / 1000;
export const DEFAULT_SHARE_SECONDS = ms('7d') / 1000;

/** Of a token: 32 bytes in base64url. */
const TOKEN_LENGTH = 43;

@ObjectType('ShareLink', { description: 'The link with which anyone can read one of your texts.' })
export class ShareLinkType {
  @Field(() => DateTime, {
    nullable: true,
    description: 'Time at which it expires, in UTC; null if there is no link.',
  })
  expiresAt!: Moment | null;
}

@ObjectType('CreatedShareLink', { description: 'A new link with which anyone can read one of your texts.' })
export class CreatedShareLinkType {
  @Secret()
  @Extensions({ example: 'https://journal.example.org/preview#token=q6mCGJ5kV1pTtXcL0wF4hZbRy8sNn2eUo7iDaKxMv3E' })
  @Field({
    description: 'The link: `SHARE_URL` with the token as its fragment, or the URL of the text in the REST API.',
  })
  url!: string;

  @Secret()
  @MaxLength(TOKEN_LENGTH)
  @Field({
    description:
      'The token in the link. The service stores only its hash, so that this response is the only one with it.',
  })
  token!: string;

  @Field(() => DateTime, { description: 'Time at which the link expires, in UTC.' })
  expiresAt!: Moment;
}

@ArgsType()
export class ShareArgs {
  @IdField('ID of one of your texts.')
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds until the link expires, {range}. Absent: 604,800, seven days.',
  })
  @WholeNumber(MIN_SHARE_SECONDS, MAX_SHARE_SECONDS)
  expiresIn?: number | null;
}

@ArgsType()
export class SharedTextArgs {
  @Field({ description: 'The token of the link.' })
  @Line(1, 100)
  token!: string;
}

@ObjectType('SharedText', { description: 'A draft or an article, as a share link shows it.' })
export class SharedTextType {
  @LimitedAs(() => CreateArticleInput, 'title')
  @Field({ description: 'The title; that of a draft may be empty.' })
  title!: string;

  @LimitedAs(() => CreateArticleInput, 'content')
  @Field({ description: 'The content in Markdown; that of a draft may be empty.', complexity: CONTENT_COST })
  content!: string;

  @LimitedAs(() => RegisterInput, 'nickname')
  @Field({ description: "The author's display name." })
  authorName!: string;

  @LimitedAs(() => CreateArticleInput, 'tags')
  @Field(() => [String], { description: 'Tags, in the order given by the author.' })
  tags!: string[];

  @Field(() => String, { nullable: true, description: "URL of the article's image; null if there is none." })
  articleImg!: string | null;

  @LimitedAs(() => CreateArticleInput, 'articleImgAlt')
  @Field(() => String, {
    nullable: true,
    description: "Alternative text of the article's image; null if there is none.",
  })
  articleImgAlt!: string | null;

  @Field(() => Int, { nullable: true, description: IMAGE_WIDTH })
  articleImgWidth!: number | null;

  @Field(() => Int, { nullable: true, description: IMAGE_HEIGHT })
  articleImgHeight!: number | null;

  @MaxItems(IMAGE_WIDTHS.length)
  @Field(() => [ImageSizeType], {
    description: "The smaller sizes of the article's image, by width; empty if there are none.",
  })
  articleImgSizes!: SizedImage[];

  @Field(() => DateTime, { description: 'Time of the last change, in UTC.' })
  updatedAt!: Moment;

  @Field(() => DateTime, { description: 'Time at which the link expires, in UTC.' })
  expiresAt!: Moment;
}
