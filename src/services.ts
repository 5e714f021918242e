/** What the application is made of: built once by the server or a test, and handed to whoever needs it. */
import type { TextModel } from './ai/provider.js';
import type { Config } from './config/index.js';
import type { Database } from './database/pool.js';
import type { ImageStore } from './images/store.js';
import type { Log } from './observability/log.js';

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
