/** Creates the bucket S3_BUCKET if it does not exist. Waits for a server that is still starting. */
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint, S3_REGION: region = 'us-east-1' } = process.env;
const credentials = { accessKeyId: process.env.S3_ACCESS_KEY_ID, secretAccessKey: process.env.S3_SECRET_ACCESS_KEY };
const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });

const ATTEMPTS = 30;
for (let attempt = 1; ; attempt++) {
  try {
    process.stdout.write(`${await ensureBucket()}\n`);
    break;
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    await delay(1_000);
  }
}

async function ensureBucket() {
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
    return `The bucket ${Bucket} already exists.`;
  } catch (error) {
    if (error.$metadata?.httpStatusCode !== 404) throw error;
  }
  await client.send(new CreateBucketCommand({ Bucket }));
  return `Created the bucket ${Bucket}.`;
}
