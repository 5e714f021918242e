/** All Sequelize models, registered with the connection pool. */
import { Article } from './article.js';
import { Category } from './category.js';
import { Comment } from './comment.js';
import { CustomStyle } from './custom-style.js';
import { Member } from './member.js';
import { Notification } from './notification.js';

export const models = [Member, Category, Article, Comment, CustomStyle, Notification];
