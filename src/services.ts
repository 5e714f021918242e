/** What the application is made of: built once by the server or a test, and handed to whoever needs it. */
import type { TextModel } from './ai/provider.js';
import type { Config } from './config.js';
import type { Log } from './log.js';
import type { Database } from './models/database.js';
import type { ImageStore } from './storage/store.js';

export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly images: ImageStore;
  readonly log: Log;
  /** Null where no provider is configured. */
  readonly ai: TextModel | null;
  /** Signs the tokens. */
  readonly jwtSecret: string;
}
