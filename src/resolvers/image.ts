/** Images for the content of articles, visible to and deletable by their owner only; their files are public. */
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { createImage, deleteImage, requireImageQuota } from '../commands/image.js';
import type { Context } from '../context.js';
import { type ImageRow, MEMBER_IMAGES } from '../models/image.js';
import { ApiTokenScopes } from '../schema/api-token.js';
import { AuthorizedMutation, AuthorizedQuery, WhileSuspended } from '../schema/auth.js';
import { ImagePage, ImageSizeType, ImageType, UploadImageArgs } from '../schema/image.js';
import { PageArgs, pageSlice, toPage } from '../schema/page.js';
import { MaxItems } from '../schema/response-limits.js';
import { IdArgs } from '../schema/scalars.js';
import { InParentRow } from '../schema/statements.js';
import { readerOf, viewerOf } from '../services/auth/policy.js';
import { prepareImage } from '../services/images/image.js';
import { IMAGE_TYPE, IMAGE_WIDTHS, type SizedImage, sizesOf } from '../services/images/store.js';
import { memberTask } from '../services/limits/client-task.js';
import { parseId } from './row.js';

@Resolver(() => ImageType)
export class ImageResolver {
  @ApiTokenScopes('read', 'images')
  @AuthorizedQuery(() => ImagePage, { description: 'Your images, newest first.' })
  async myImages(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context) {
    const { limit, offset } = pageSlice(args);
    const rows = await context.database.query(MEMBER_IMAGES, [viewerOf(context).memberId, limit, offset]);
    return toPage(args, { contents: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 });
  }

  @ApiTokenScopes('images', 'drafts')
  @AuthorizedMutation(() => ImageType, {
    description:
      'Uploads an image for the content of articles. It is removed when no article, draft or revision has referred to it for seven days.',
  })
  async uploadImage(
    @Args(() => UploadImageArgs) { file }: UploadImageArgs,
    @Ctx() context: Context,
  ): Promise<ImageRow> {
    const { memberId, credentialId } = viewerOf(context);
    const { database, config } = context;
    await requireImageQuota(database, memberId, config.imageLimits);
    const prepared = await prepareImage(file.bytes, memberTask(context, memberId));
    return createImage(context, { memberId, credentialId }, prepared, config.imageLimits);
  }

  @WhileSuspended()
  @ApiTokenScopes('images')
  @AuthorizedMutation(() => ImageType, {
    description: 'Deletes one of your images, unless one of your articles or drafts refers to it.',
  })
  async deleteImage(@Args(() => IdArgs) { id }: IdArgs, @Ctx() context: Context): Promise<ImageRow> {
    const owner = { memberId: viewerOf(context).memberId, reader: readerOf(context) };
    return deleteImage(context.database, parseId(id, 'IMAGE_NOT_FOUND'), owner);
  }

  @InParentRow()
  @FieldResolver(() => String, { description: 'URL of the image in its full width.' })
  url(@Root() { key }: ImageRow, @Ctx() { images, config }: Context): string {
    return images.url(key, config.publicUrl);
  }

  @InParentRow()
  @FieldResolver(() => String, { description: 'Media type of the image, whatever the format of the upload was.' })
  type(): string {
    return IMAGE_TYPE;
  }

  @MaxItems(IMAGE_WIDTHS.length)
  @InParentRow()
  @FieldResolver(() => [ImageSizeType], {
    description: 'Smaller versions of 320, 640, 1280 and 1920 pixels width: those that are smaller than the image.',
  })
  sizes(@Root() { key, width }: ImageRow, @Ctx() { images, config }: Context): SizedImage[] {
    return sizesOf(images, key, width, config.publicUrl);
  }
}
