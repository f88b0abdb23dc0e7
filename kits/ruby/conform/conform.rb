# frozen_string_literal: true

# The program that the kit's tests run, where the packed gem is installed: `vectors <file>`, `serve rack` or `login`.
require 'json'
require 'paycode_receiver'

$stdout.sync = true
FOLDER = ENV.fetch('KIT_FOLDER', '.')

def vectors(file)
  JSON.parse(File.read(file))['vectors'].each do |vector|
    puts JSON.generate({ name: vector['name'] }.merge(opened(vector)))
  end
end

def opened(vector)
  notification = PaycodeReceiver.open_notification(vector['body'], vector['keys'])
  vector['expect'].keys.to_h { |path| [path, at(notification, path)] }.merge('result' => 'OK')
rescue PaycodeReceiver::RefusedBody => e
  { result: e.code }
end

# The value of a field, named as in the JSON.
def at(notification, path)
  return nil if path == 'result'

  first, *rest = path.split('.')
  value = notification.public_send(first.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" })
  text(rest.reduce(value) { |inner, name| inner && inner[name] })
end

def text(value)
  return nil if value.nil?

  value.is_a?(BigDecimal) ? value.to_s('F').delete_suffix('.0') : value.to_s
end

def told_to?(what, notification)
  notification.reference.start_with?(what) && File.exist?(File.join(FOLDER, what))
end

# Read at each notification, because the receiver starts before its key exists.
def keys
  file = ENV.fetch('KIT_KEYS_FILE')
  File.exist?(file) ? File.readlines(file, chomp: true) : []
end

def handle(notification)
  puts "handling #{notification.transaction_id}"
  raise 'told to fail' if told_to?('fail', notification)

  sleep 0.02 while told_to?('hold', notification)
  puts "handled #{notification.transaction_id} #{notification.status} #{text(notification.amount)} #{notification.reference}"
end

def receiver
  PaycodeReceiver::Receiver.new(
    keys: method(:keys),
    store: PaycodeReceiver::FileStore.new(File.join(FOLDER, 'store')),
    handler: method(:handle),
    answer_when: ENV.fetch('KIT_WHEN', 'BEFORE').downcase.to_sym,
    answer_within: ENV.fetch('KIT_ANSWER_WITHIN_MS', '40000').to_f / 1000,
    on_error: ->(error) { puts "error #{error.message}" }
  )
end

# Through Rack's own handler for WEBrick, with Rack's checker of the protocol around the receiver.
def serve(_adapter)
  require 'rack'
  require 'rack/handler/webrick'
  quiet = WEBrick::Log.new(File::NULL)
  Rack::Handler::WEBrick.run(Rack::Lint.new(receiver), Host: '127.0.0.1', Port: 0, Logger: quiet, AccessLog: []) do |server|
    puts "listening #{server.listeners.first.addr[1]}"
  end
end

def login(_word = nil)
  client = PaycodeReceiver::Client.new(
    url: ENV.fetch('PAYCODE_URL'), identity: ENV.fetch('PAYCODE_IDENTITY'), password: ENV.fetch('PAYCODE_PASSWORD'),
    private_key: File.read(ENV.fetch('PAYCODE_PRIVATE_KEY_FILE')), service_key: File.read(ENV.fetch('PAYCODE_SERVICE_KEY_FILE')),
    ca_file: ENV.fetch('PAYCODE_CA_FILE')
  )
  session = client.log_in
  puts "logged in #{session['sessionId']}"
  status, = client.send_request('POST', '/pluto/remote/v4/lookup', { value: '1234567890', msisdn: '+27820000001' })
  puts [401, 403].include?(status) ? "refused with #{status}" : 'request authenticated'
  renewed = client.renew
  puts "renewed #{renewed['sessionId']} #{renewed['headerValue'] != session['headerValue']}"
  notification = client.notification(ENV.fetch('KIT_TRANSACTION').to_i)
  puts "read #{notification.transaction_id} #{notification.status} #{text(notification.amount)}"
  receiver.resume(client.method(:notification))
  client.log_out
  puts 'logged out'
end

send(ARGV[0], ARGV[1])
