# frozen_string_literal: true

# Receives Paycode's payment notifications, and logs in to Paycode.
module PaycodeReceiver
end

require_relative 'paycode_receiver/notification'
require_relative 'paycode_receiver/file_store'
require_relative 'paycode_receiver/receiver'
require_relative 'paycode_receiver/client'
