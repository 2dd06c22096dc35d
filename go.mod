module rollcall

go 1.26.7
