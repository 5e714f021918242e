/** Whether a comment has to wait for approval, as far as its content and the settings decide. */
import type { CommentCheck } from '../../models/comment/held.js';
import { SPAM_MODEL } from '../../models/spam.js';
import type { Config } from '../../platform/config/index.js';
import type { Database } from '../../platform/database/pool.js';
import { INVISIBLE } from '../../platform/display-name/skeleton.js';
import type { Log } from '../../platform/observability/log.js';
import { countsOf, type SpamCounts, spamScoreOf } from './spam-score.js';

interface Checks {
  readonly config: Config;
  readonly spamModel: SpamModel;
}

/** Null if it does not have to wait, independent of its author: no statement is executed then. */
export function checkComment({ config, spamModel }: Checks, content: string): CommentCheck | null {
  const { approval, maxLinks, spamThreshold } = config.comments;
  const spamScore = spamModel.scoreOf(content);
  const isSuspect = approval === 'all' || countLinks(content) > maxLinks || (spamScore ?? 0) > spamThreshold;
  const isForNewcomers = approval === 'first';
  return isSuspect || isForNewcomers ? { isSuspect, isForNewcomers, spamScore } : null;
}

const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu');

/** Without a scheme, a name is a link if it ends with a common top-level domain, or a path follows. */
const DOMAINS =
  'com|net|org|info|biz|kr|co|io|me|ly|gl|gg|tv|app|dev|xyz|top|shop|site|online|store|club|link|live|vip|pro|cc|ru|cn|jp|de|uk';
/** Labels have at most 63 characters. All repetitions are bounded, so that the time is linear in that of the text, which is longer after NFKC. */
const NAME = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`;
const SCHEME = String.raw`[a-z][a-z\d+.-]{0,30}:\/\/`;
const LINKS = new RegExp(
  [
    String.raw`${SCHEME}[^\s<>]+?(?=${SCHEME}|[\s<>]|$)`,
    String.raw`www\.[^\s<>]+`,
    String.raw`(?:${NAME}\.){1,5}(?:(?:${DOMAINS})(?![\p{L}\p{N}-])|\p{L}{2,63}(?=\/[^\s/]))[^\s<>]*`,
  ].join('|'),
  'giu',
);

/** "(dot)", "[.]" and the full stops of other scripts. */
const DOTS = /\s*[([{]\s*(?:\.|dot|점)\s*[)\]}]\s*|[\u3002\uff0e\uff61]/giu;

/** Addresses of email are not links. What looks like one in a URL is a part of it, such as a user name. */
const EMAILS = /(?<![^\s<>()[\]{},:;"'])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+/gu;

function countLinks(content: string): number {
  const plain = content.replace(INVISIBLES, '').replace(DOTS, '.').normalize('NFKC');
  return plain.replace(EMAILS, ' ').match(LINKS)?.length ?? 0;
}

/** The current spam model of this process: loaded at the start, and again when a statement shows that another version exists. */
export class SpamModel {
  #version = 0;
  #counts: SpamCounts | null = null;
  #loading: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** From 0 to 1; null without enough decisions. */
  scoreOf(text: string): number | null {
    return this.#counts && spamScoreOf(this.#counts, text);
  }

  /** Loads the model in the background if this is not its version. One load runs at a time. @param version 0: there is none */
  refresh(version: number): void {
    if (version !== this.#version) void this.load();
  }

  /** Without the database, the last model stays in use. */
  load(): Promise<void> {
    this.#loading ??= this.#load()
      .catch((error) => this.log.warn({ err: error }, 'the spam model cannot be loaded'))
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const [stored] = await this.database.query(SPAM_MODEL, []);
    this.#version = stored?.version ?? 0;
    this.#counts = stored ? countsOf(stored) : null;
  }
}
