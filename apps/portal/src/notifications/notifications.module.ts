import { Module } from '@nestjs/common';
import { ChangeNotificationsService } from './change-notifications.service';
import { NotificationsController } from './http/notifications.controller';

@Module({ controllers: [NotificationsController], providers: [ChangeNotificationsService] })
export class NotificationsModule {}
