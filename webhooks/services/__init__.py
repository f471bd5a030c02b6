"""What is done to the event tables; doors (views, admin, passes, the bot, REST) call these."""
