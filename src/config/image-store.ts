/** Where images are stored, as the settings say. */
export interface S3Config {
  bucket: string;
  /** Of anything that is not Amazon's own. */
  endpoint?: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Milliseconds for an answer, without a second try. By default there are some, and a minute for each. */
  patience?: number;
}

export type ImageStoreConfig = { storage: 'local'; directory: string } | ({ storage: 's3' } & S3Config);
