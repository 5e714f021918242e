/** Configuration of the image storage. */
export interface S3Config {
  bucket: string;
  /** URL of an S3-compatible server other than Amazon S3. */
  endpoint?: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Socket timeout in milliseconds, without retries. Default: one minute per attempt, with the retries of the SDK. */
  socketTimeoutMs?: number;
}

export type ImageStoreConfig = { storage: 'local'; directory: string } | ({ storage: 's3' } & S3Config);
