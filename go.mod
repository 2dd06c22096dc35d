module rollcall

go 1.26.7

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/coder/websocket v1.8.15
)
