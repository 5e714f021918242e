/** Whether HTML is missing in a response because it is not rendered yet. */
import { AppError } from '../../platform/errors.js';
import { asEscaped } from './renderer.js';

export class ResponseHtml {
  isProvisional = false;

  /** An article in a list that cannot be rendered at the moment has its escaped text: the other articles are not affected. */
  async orEscaped<Html>(rendering: Promise<Html>, contentOf: () => Promise<string>): Promise<Html | string> {
    try {
      return await rendering;
    } catch (error) {
      if (!(error instanceof AppError && ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(error.key))) throw error;
      this.isProvisional = true;
      return asEscaped(await contentOf()).html;
    }
  }
}
