module paycode.example/receiver

go 1.21
