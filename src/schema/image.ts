/** GraphQL types and arguments of the images that members upload for the content of their articles. */
import { ArgsType, Extensions, Field, ID, Int, ObjectType } from 'type-graphql';
import { pageOf } from './page.js';
import { DateTime, type Moment, Upload, type UploadedFile } from './scalars.js';

const URL = 'https://journal.example.org/images/7f83b1657ff1fc53b92dc18148a1d65d';

/** Descriptions of the fields of texts with an image. */
export const IMAGE_WIDTH = 'Width of the image in pixels; null if there is none, or it is not known yet.';
export const IMAGE_HEIGHT = 'Height of the image in pixels; null if there is none, or it is not known yet.';

@ObjectType('ImageSize', { description: 'A smaller size of an image, in WebP.' })
export class ImageSizeType {
  @Extensions({ example: `${URL}-320.webp` })
  @Field({ description: 'URL of the image in this size.' })
  url!: string;

  @Extensions({ example: 320 })
  @Field(() => Int, { description: 'Width in pixels.' })
  width!: number;
}

@ObjectType('Image', { description: 'An image that a member uploaded for the content of articles.' })
export class ImageType {
  @Field(() => ID, { description: 'Unique positive ID, never reused.' })
  id!: number;

  @Field(() => Int, { description: 'Width in pixels.' })
  width!: number;

  @Field(() => Int, { description: 'Height in pixels.' })
  height!: number;

  @Field(() => DateTime, { description: 'Time of the upload, in UTC.' })
  createdAt!: Moment;
}

export const ImagePage = pageOf('Image', () => ImageType, 'images');

@ArgsType()
export class UploadImageArgs {
  @Field(() => Upload, { description: 'A JPEG, PNG, WebP, GIF or AVIF image, recognized by its content.' })
  file!: UploadedFile;
}
