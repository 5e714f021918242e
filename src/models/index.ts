/** All Sequelize models, registered with the connection pool. */
import { Article } from './article/article.js';
import { Category } from './category.js';
import { Comment } from './comment/comment.js';
import { CustomStyle } from './custom-style.js';
import { Draft } from './draft/draft.js';
import { Member } from './member/member.js';
import { Notification } from './notification/notification.js';

export const models = [Member, Category, Article, Comment, CustomStyle, Draft, Notification];
