/** All messages in English, which define the keys of the other languages. Keys are unique across all files. */
import { accounts } from './accounts.js';
import { errors } from './errors.js';
import { images } from './images.js';
import { journal } from './journal.js';
import { mails } from './mails.js';
import { notifications } from './notifications.js';
import { pages } from './pages.js';
import { requests } from './requests.js';
import { responses } from './responses.js';
import { rules } from './rules.js';
import { writing } from './writing.js';

export const en = {
  ...accounts,
  ...responses,
  ...errors,
  ...images,
  ...journal,
  ...mails,
  ...notifications,
  ...pages,
  ...requests,
  ...rules,
  ...writing,
};
